/** The longest pause that staff can ask for, minutes; apart from the schemas, so that no start has to load those. */
export const MAX_PAUSE_MINUTES = 480;
