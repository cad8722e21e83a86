/** What arguments that name sessions say: the same wherever one is named. */
export const ONE_ID = 'id of the session, its first or last characters, @last, @2 or its title';
export const MANY_IDS = 'ids of the sessions, their first or last characters, @last, @2 or titles';
