import type { Log } from '../shared/log';
import { messageOf } from './describe-error';
import { oneByOne } from './turns';
import { readTextIfThere, type Shape, writeWholeFile } from './whole-file';

/** What a store says of its state, and of the file that holds it. */
export interface StateFileParts<State> {
  readonly path: string;
  /** Throws where the text is something else. */
  readonly read: (text: string) => State;
  readonly write: (state: State) => string;
  /** The state where nothing is stored. */
  readonly nothing: State;
  /** The state where the file is broken, and while it cannot be read; absent: as if nothing were stored. */
  readonly lost?: State;
  /** Joins a state that could be read only now with the one that held until then; absent: only the former counts. */
  readonly merge?: (stored: State, newer: State) => State;
  /**
   * What a change does with a file that cannot be read even then. `keep`: the change is not stored.
   * `keep-for-next-start`: nor is the file read again in this run, because what it holds counts from a start on.
   */
  readonly ifUnread: 'replace' | 'keep' | 'keep-for-next-start';
  /** Logged where the file is broken or cannot be read. */
  readonly unread: string;
  /** Logged where a change that holds all the same could not be stored. */
  readonly notStored?: string;
  readonly log: Log;
}

/** Returns the next state; the same one where nothing changes. */
type Step<State> = (state: State) => State;

/** Stores a state of this shape as JSON. */
export const asJson = <State>(shape: Shape<State>) => ({
  read: (text: string): State => shape.parse(JSON.parse(text)),
  write: (state: State): string => `${JSON.stringify(state)}\n`,
});

/**
 * Opens a state that is stored as one small file (mode 0600). A missing or broken file holds nothing. One that is there
 * and cannot be read now (EIO, EACCES, EMFILE …) may be good: changes read it again before they may replace it. Never
 * rejects.
 */
export async function openStateFile<State>(parts: StateFileParts<State>) {
  const { path, nothing, lost = nothing, merge = (stored) => stored, ifUnread, log } = parts;
  const inOrder = oneByOne();
  let state = nothing;
  /** Why the file could not be read; null: it was read, or replaced. */
  let unread: unknown = null;
  /** The state holds changes that are not on the disk. */
  let isAhead = false;

  /** @param without the state if the file cannot be read */
  async function load(joined: (stored: State) => State, without: State): Promise<void> {
    try {
      const text = await readTextIfThere(path).catch((error: unknown) => {
        unread = error;
        throw error;
      });
      unread = null;
      if (text !== null) state = joined(parts.read(text));
    } catch (error) {
      log.error(parts.unread, { file: path, error });
      state = unread === null ? joined(lost) : without;
    }
  }

  async function changeNow(step: Step<State>, evenIfNotStored: boolean): Promise<void> {
    if (unread !== null && ifUnread !== 'keep-for-next-start')
      await load((stored) => merge(stored, state), state);
    const next = step(state);
    if (next === state && !isAhead) return;
    if (evenIfNotStored) state = next;
    isAhead ||= evenIfNotStored;
    if (unread !== null && ifUnread !== 'replace')
      throw new Error(`${path} cannot be read, so it is not replaced: ${messageOf(unread)}`);
    await writeWholeFile(path, parts.write(next), 0o600);
    unread = null;
    state = next;
    isAhead = false;
  }

  await load((stored) => stored, lost);
  return {
    now: (): State => state,
    /** One change after the other. Rejects where it is not on the disk, and then nothing has changed. */
    change: (step: Step<State>): Promise<void> => inOrder(() => changeNow(step, false)),
    /** The same for a change that holds, until the process ends, even if it cannot be stored. Never rejects. */
    changeEvenIfNotStored: (step: Step<State>): Promise<void> =>
      inOrder(() => changeNow(step, true)).catch((error: unknown) =>
        log.error(parts.notStored ?? 'a change could not be stored', { file: path, error }),
      ),
  };
}
