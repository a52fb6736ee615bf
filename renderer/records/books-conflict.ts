/** A command that would break a rule of the books; nothing was changed. */
export class BooksConflict extends Error {}
