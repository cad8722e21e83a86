/** Why a session ended that a person ended without saying why. */
export const ENDED_BY_HAND = 'ended by hand';
