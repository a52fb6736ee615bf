/** What is wrong with a table's rows, in one word each. */
export type ErrorCode =
  /** Rows of a kiosk that is not among the accepted ones. */
  | 'unknown-kiosk'
  /** A segment in an accepted kiosk's name that another key signed. */
  | 'forged-segment'
  /** A manifest whose digest or signature does not fit: it was changed. */
  | 'segment-changed'
  /** Another manifest lies at the same place. */
  | 'segment-conflict'
  /** Numbers that no segment in the table holds, and that no manifest says are set aside. */
  | 'segment-missing'
  /** A predecessor is named that is not the one before. */
  | 'chain-broken'
  /** Numbers that the kiosk itself left out, because it could not keep them until they were sent. */
  | 'dropped-by-kiosk'
  /** A play's row whose fields do not fit its digest. */
  | 'row-changed'
  /** Another row lies at the same place. */
  | 'row-conflict'
  /** A number of a segment without its row. */
  | 'row-missing'
  /** Rows fit their digests, but they are not those that were signed. */
  | 'rows-replaced'
  /** Rows that no segment covers. */
  | 'rows-unsigned';

/** What an auditor is told, though nothing is wrong. */
export type NoteCode =
  /** A segment came more than once; it counts once. */
  | 'segment-replayed'
  /** The kiosk says that these numbers were refused, and goes on trying. */
  | 'set-aside';

export interface Finding {
  readonly code: ErrorCode | NoteCode;
  readonly isError: boolean;
  readonly kiosk: string;
  /** ms; names the kiosk's database. */
  readonly epoch: number;
  /** Numbers of the sequence, both included. */
  readonly first: number;
  readonly last: number;
  /** In plain English, without the place. */
  readonly message: string;
}

/** A finding as a line. */
export function findingLine({ code, isError, kiosk, epoch, first, last, message }: Finding): string {
  const place = first === last ? `number ${first}` : `numbers ${first} to ${last}`;
  return `${isError ? 'ERROR' : 'note'}  ${code}: kiosk ${kiosk}, epoch ${epoch}, ${place}: ${message}`;
}
