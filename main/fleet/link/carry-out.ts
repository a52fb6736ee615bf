import type { AdminAction, LogPage } from '../../../shared/admin';
import { assertNever } from '../../../shared/assert-never';
import { instant } from '../../../shared/clock';
import type { FleetActions } from '../../admin/kiosk-pages';
import { beforeDeadline, isTimeout, startDeadline } from '../../deadline';
import type { Schedule } from '../../schedule';
import type { RemoteTrials } from '../../settings/remote/remote-trials';
import type { KioskScreen } from '../../shell/kiosk-window';
import { type AnnouncementStore, MAX_ANNOUNCEMENT_MS } from './announcement';
import { type CommandId, type Outcome, refusal } from './command-handler';
import type { Command } from './commands';
import { SKEW_MS } from './verify-document';

/** Longest log in one answer, UTF-16 code units over all lines. */
const MAX_LOG = 150_000;

/** Longest wait for a picture of the window, ms: later commands wait for it. */
const PICTURE_MS = 10_000;

export interface CarryOutParts extends Pick<FleetActions, 'act' | 'isCovered' | 'logLines'> {
  readonly picture: KioskScreen['picture'];
  readonly isDisplayOn: KioskScreen['isDisplayOn'];
  /** Whether a shopper uses the link view, where they may type. */
  readonly isVisited: () => boolean;
  readonly announcement: Pick<AnnouncementStore, 'begin' | 'end'>;
  /** Reads the settings. Why the next start could not use them; null: it could, or the restart may cure it. */
  readonly whyRestartFails: () => Promise<string | null>;
  /** See the function of this name. */
  readonly whyDiskFull: () => Promise<string | null>;
  /** Begins a trial of remote settings, or removes those in force (null). */
  readonly settings: RemoteTrials['take'];
  /** ms since the epoch. */
  readonly now: () => number;
  readonly schedule: Schedule;
}

/** Carries out a verified command. Rejects when it fails unexpectedly. */
export function carryOut(
  parts: CarryOutParts,
): (command: Command, by: string, of: CommandId) => Promise<Outcome> {
  const act = async (action: AdminAction, by: string): Promise<Outcome> => {
    const result = await parts.act(action, by).catch(notHere);
    if ('state' in result) return result;
    if (result.result !== 'failed') return { state: 'done', recorded: true };
    const { message, advice } = result;
    return { ...refusal('failed', `${message} ${advice ?? ''}`.trim()), recorded: true };
  };
  return async (command, by, of) => {
    switch (command.name) {
      case 'refresh':
      case 'resume':
        return act({ action: command.name }, by);
      case 'restart-player':
      case 'restart-kiosk':
        return (await whyNoRestart(parts)) ?? act({ action: command.name }, by);
      case 'pause':
        return act({ action: 'pause', minutes: command.minutes }, by);
      case 'volume':
        return act({ action: 'sound', volume: command.volume }, by);
      case 'screenshot':
        return screenshot(parts, command.width);
      case 'announce':
        return announce(parts, command);
      case 'log':
        return { state: 'done', result: { lines: bounded(await parts.logLines(command.lines)) } };
      case 'display':
        return act({ action: 'display', on: command.on }, by);
      case 'settings':
        return parts.settings({ ...of, by, settings: command.settings });
      default:
        return assertNever(command);
    }
  };
}

/** An action that this kiosk cannot do at all is refused with `not-here`, not `failed`. */
function notHere(error: unknown): Outcome {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'not-here') throw error;
  return refusal('not-here', error.message);
}

/** A kiosk whose settings cannot be used plays on with the settings of its start, until it restarts. */
async function whyNoRestart({ whyRestartFails, whyDiskFull }: CarryOutParts): Promise<Outcome | null> {
  const full = await whyDiskFull();
  if (full !== null) return refusal('not-now', full);
  const why = (await whyRestartFails())?.slice(0, 1_500);
  if (why === undefined) return null;
  return refusal(
    'not-now',
    `The player plays, but could not start again. Correct its settings file first. ${why}`,
  );
}

/** Takes a screenshot, but never of the overlay or of what a shopper types: so checks before and after. */
async function screenshot(parts: CarryOutParts, width: number): Promise<Outcome> {
  const before = whyNoPicture(parts);
  if (before !== null) return before;
  const inTime = startDeadline(PICTURE_MS, parts.schedule);
  const picture = await beforeDeadline(inTime, () => parts.picture(width)).catch((error: unknown) => {
    if (isTimeout(error)) return null;
    throw error;
  });
  if (picture === null)
    return refusal(
      'failed',
      `The window gave no picture within ${PICTURE_MS / 1_000} s. Try again, or restart the player.`,
    );
  const { jpeg, ...size } = picture;
  const data = Buffer.from(jpeg).toString('base64');
  return whyNoPicture(parts) ?? { state: 'done', result: { mediaType: 'image/jpeg', ...size, data } };
}

function whyNoPicture({ isCovered, isVisited }: CarryOutParts): Outcome | null {
  if (isCovered()) return refusal('not-now', 'Staff have the overlay open. Try again later.');
  if (isVisited()) return refusal('not-now', 'A shopper is on a page behind an ad. Try again later.');
  return null;
}

async function announce(
  { announcement, now, isDisplayOn }: CarryOutParts,
  { text, severity, language, until }: Extract<Command, { name: 'announce' }>,
): Promise<Outcome> {
  if (text === null) {
    await announcement.end();
    return { state: 'done' };
  }
  const ms = until === null ? MAX_ANNOUNCEMENT_MS : Date.parse(until) - now();
  // The store shortens what exceeds the longest duration.
  if (!(ms > 0 && ms <= MAX_ANNOUNCEMENT_MS + SKEW_MS)) {
    return refusal(
      'invalid',
      `Expected "until" within the next 24 hours, found ${until}; here it is ${instant(now())}.`,
    );
  }
  await announcement.begin({ text, severity, language }, ms);
  if (isDisplayOn()) return { state: 'done' };
  return { state: 'done', message: 'The display is off: nobody sees it until it is on ("display on").' };
}

/** As many of the last lines as an answer may hold. */
function bounded(lines: LogPage['lines']): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const { at, level, text } of [...lines].reverse()) {
    const line = `${at === null ? '' : instant(at)} ${level} ${text}`;
    length += line.length;
    if (length > MAX_LOG) break;
    kept.unshift(line);
  }
  return kept;
}
