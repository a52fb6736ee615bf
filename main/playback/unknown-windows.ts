import type { Ad } from '../../shared/ad';
import { isKnownWindow } from '../decisioning/frequency-caps';
import type { Problem } from '../signals/status';

export const UNKNOWN_WINDOW = 'unknown-cap-window';
/** Names that are told; the rest is counted. */
const MAX_NAMED = 3;
/** Characters of a name that are told. */
const MAX_NAME = 80;

/** What staff have to know of caps whose window this version does not know (rule 7); null: there is none. */
export function unknownWindowProblem(ads: readonly Ad[]): Problem | null {
  const windows = new Set<string>();
  for (const { metadata } of ads)
    for (const { window } of metadata.frequencyCaps) if (!isKnownWindow(window)) windows.add(window);
  if (windows.size === 0) return null;
  const named = [...windows].slice(0, MAX_NAMED).map((window) => JSON.stringify(window.slice(0, MAX_NAME)));
  const more = windows.size > MAX_NAMED ? ` and ${windows.size - MAX_NAMED} more` : '';
  return {
    code: UNKNOWN_WINDOW,
    message: `The ads have caps with an unknown window: ${named.join(', ')}${more}. They are kept for the whole flight.`,
    advice: 'Update Endcap, or ask the service what this window means.',
  };
}
