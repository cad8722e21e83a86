/** Where the page can be opened. What it shows there beside that stands behind a `?`. */
export const PAGE_PATHS = ['/', '/sessions', '/session', '/storage', '/runs'] as const;

export type PagePath = (typeof PAGE_PATHS)[number];

/** What stands before the code of a link that signs a browser in, behind the `#`: what is there is sent to no server and stands in no log. */
export const SIGN_IN_FRAGMENT = 'sign-in=';
