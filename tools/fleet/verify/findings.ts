/** Codes of the errors in a table's rows. */
export type ErrorCode =
  /** Rows of a kiosk that is not among the accepted ones. */
  | 'unknown-kiosk'
  /** A segment in an accepted kiosk's name that another key signed. */
  | 'forged-segment'
  /** A manifest does not match its digest or signature: it was changed. */
  | 'segment-changed'
  /** There is another manifest of the same numbers. */
  | 'segment-conflict'
  /** Numbers that no segment in the table holds, and that the newest manifest does not say are set aside. */
  | 'segment-missing'
  /** A segment overlaps the one before it, or names another predecessor. */
  | 'chain-broken'
  /** Numbers of plays that the kiosk dropped unsent, because it could not store that many. */
  | 'dropped-by-kiosk'
  /** A play's row does not match its digest. */
  | 'row-changed'
  /** The columns that the server makes of a row's time say another time. */
  | 'row-misdated'
  /** There is another row of the same number. */
  | 'row-conflict'
  /** A number of a segment has no row. */
  | 'row-missing'
  /** Rows fit their digests, but they are not those that were signed. */
  | 'rows-replaced'
  /** Rows that no segment covers. */
  | 'rows-unsigned';

/** Codes of notes, which are no errors. */
export type NoteCode =
  /** A segment came more than once; it counts once. */
  | 'segment-replayed'
  /** The kiosk says that the receiver refused these numbers; it tries again daily. */
  | 'set-aside';

export interface Finding {
  readonly code: ErrorCode | NoteCode;
  readonly isError: boolean;
  readonly kiosk: string;
  /** ms since the epoch; identifies the kiosk's database. */
  readonly epoch: number;
  /** Numbers of the sequence, both included. */
  readonly first: number;
  readonly last: number;
  /** In plain English, without kiosk, epoch and numbers. */
  readonly message: string;
}

/** A finding as a line. */
export function findingLine({ code, isError, kiosk, epoch, first, last, message }: Finding): string {
  const place = first === last ? `number ${first}` : `numbers ${first} to ${last}`;
  return `${isError ? 'ERROR' : 'note'}  ${code}: kiosk ${kiosk}, epoch ${epoch}, ${place}: ${message}`;
}
