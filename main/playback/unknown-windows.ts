import type { Ad } from '../../shared/ad';
import { isKnownWindow } from '../decisions/frequency-caps';
import type { Tell } from '../status/facts';

const UNKNOWN_WINDOW = 'unknown-cap-window';
/** Most names in the message; the others are only counted. */
const MAX_NAMED = 3;
/** Most characters of a name in the message. */
const MAX_NAME = 80;

/** Where the ads that may play come from. */
export type AdsInForce = 'stored' | 'online';

/**
 * Reports caps whose window this version does not know (rule 7), while ads with such caps are in force: those
 * of the stored playlist that plays, and those of the last online answer. To be called when either changes.
 */
export function reportUnknownWindows(tell: Tell): (from: AdsInForce, ads: readonly Ad[]) => void {
  const found: Record<AdsInForce, ReadonlySet<string>> = { stored: new Set(), online: new Set() };
  return (from, ads) => {
    // Plain loops: all caps of a long playlist are looked at in one turn of main (rule 31).
    const unknown = new Set<string>();
    for (const { metadata } of ads)
      for (const { window } of metadata.frequencyCaps) if (!isKnownWindow(window)) unknown.add(window);
    found[from] = unknown;
    const problem = problemOf(new Set([...found.stored, ...found.online]));
    tell({ kind: 'attention', code: UNKNOWN_WINDOW, problem });
  };
}

function problemOf(windows: ReadonlySet<string>) {
  if (windows.size === 0) return null;
  const named = [...windows].slice(0, MAX_NAMED).map((window) => JSON.stringify(window.slice(0, MAX_NAME)));
  const more = windows.size > MAX_NAMED ? ` and ${windows.size - MAX_NAMED} more` : '';
  return {
    message: `The ads have caps with an unknown window: ${named.join(', ')}${more}. These caps count over the whole flight.`,
    advice: 'Update Endcap, or ask the service what this window means.',
  };
}
