/** Bytes of a picture that are looked at: a photograph may have megabytes of notes before its size. */
export const MAX_HEAD_BYTES = 4 * 1024 * 1024;

/** Bytes of a page: far more than one without files of its own needs. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
