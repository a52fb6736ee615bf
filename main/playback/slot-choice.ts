import type { Ad } from '../../shared/ad';
import type { Choice } from '../decisioning/decider';

/** What a slot is filled with: an ad of the stored playlist, or one asked for this very slot. */
export type SlotChoice =
  | { readonly delivery: 'offline'; readonly ad: Ad; readonly mediaUrl: string; readonly choice: Choice }
  | { readonly delivery: 'online'; readonly ad: Ad; readonly mediaUrl: string };

export function offlineChoice(choice: Choice): SlotChoice {
  return { delivery: 'offline', ad: choice.ad, mediaUrl: choice.mediaUrl, choice };
}

export function sameChoice(a: SlotChoice, b: SlotChoice): boolean {
  if (a.delivery === 'online' || b.delivery === 'online') return a.ad === b.ad;
  return a.choice.playlist === b.choice.playlist && a.choice.index === b.choice.index;
}

/** Whether a creative prepared for one serves the other: the same file, shown for as long. */
export function sameCreative(a: SlotChoice, b: SlotChoice): boolean {
  return a.mediaUrl === b.mediaUrl && a.ad.durationMs === b.ad.durationMs;
}
