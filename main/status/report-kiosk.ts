import { DAY_MS, instant } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { type ClientCertificates, validityWarnings } from '../settings/client-certificate';
import type { DisplayPower } from '../shell/display-switch/display-control';
import type { Tell } from './facts';

/** The code of the problem of a safe start. */
export const SAFE_START = 'safe-start';

/** Reports a safe start (rule 25) to the board and the log, until `over` resolves. */
export function reportSafeStart(tell: Tell, over: Promise<void>, log: Log): void {
  log.warn('a safe start: the kiosk ended unexpectedly again and again; it plays without network at first');
  tell({
    kind: 'attention',
    code: SAFE_START,
    problem: {
      message:
        'Safe start: the kiosk ended unexpectedly three times within a minute. It plays stored ads without network.',
      advice:
        'Wait: after ten minutes it uses the network again by itself. If this comes back, send its log to support.',
    },
  });
  void over.then(() => {
    tell({ kind: 'attention', code: SAFE_START, problem: null });
    log.info('the safe start is over; the kiosk uses the network again');
  });
}

/** Reports that this run draws without the graphics hardware (rule 25). @param since ms since the epoch; null: it does not */
export function reportSoftwareDrawing(tell: Tell, since: number | null): void {
  if (since === null) return;
  tell({
    kind: 'attention',
    code: 'graphics-hardware-crashed',
    problem: {
      message: `Pictures and videos are drawn without the graphics hardware since ${instant(since)}, because it crashed three times within ten minutes.`,
      advice:
        'Wait. A day later, once nobody uses the kiosk, it restarts by itself and tries the hardware again. If this comes back, update the graphics driver, or send the log to support.',
    },
  });
}

/** Tells of a problem; `message` null: it is over. The board ignores what it was told before. */
function problemTeller(tell: Tell, code: string, advice: string): (message: string | null) => void {
  return (message) =>
    tell({ kind: 'attention', code, problem: message === null ? null : { message, advice } });
}

/**
 * Reports to the board while the system clock is earlier than this program's build and the service has not
 * given the time: then every certificate looks not yet valid, and TLS cannot work. Call it every few seconds.
 *
 * @param buildDate ms since the epoch
 */
export function reportSystemClock(
  tell: Tell,
  clock: { systemNow(): number; lastTrustedAt(): number | null },
  buildDate: number,
): () => void {
  const advice = 'Set the date and the time of the machine, or use a time server (NTP).';
  const say = problemTeller(tell, 'system-clock-wrong', advice);
  let message: string | null = null;
  return () => {
    const isWrong = clock.lastTrustedAt() === null && clock.systemNow() < buildDate;
    if (!isWrong) message = null;
    // With the time at which it was noticed.
    else
      message ??= `The clock of this machine is wrong: it shows ${instant(clock.systemNow())}, which is before this program was built. The service cannot be reached over TLS.`;
    say(message);
  };
}

/** Somebody has to issue a certificate, and bring it to each kiosk. */
const CERTIFICATE_BEFORE_MS = 14 * DAY_MS;

/**
 * Reports client certificates that end soon, or have ended. One that is not valid yet is left out: mostly the clock is
 * wrong, and `endcap check-config` tells of it. Call it regularly.
 *
 * @param now ms since the epoch
 */
export function reportClientCertificates(
  tell: Tell,
  settings: ClientCertificates,
  now: () => number,
): () => void {
  return () => {
    const ending = validityWarnings(settings, now(), CERTIFICATE_BEFORE_MS).filter(
      ({ hasBegun }) => hasBegun,
    );
    const [first] = ending;
    const problem = first && {
      message: ending.map(({ message }) => message).join(' '),
      advice: first.advice,
    };
    tell({ kind: 'attention', code: 'certificate-ends', problem: problem ?? null });
  };
}

/** Reports when the display is not in its wanted state, and when it is again. */
export function reportDisplay(tell: Tell): (power: DisplayPower | null) => void {
  const advice =
    'Look at "The display at night" in install.md: what switches it has to be installed and allowed. The log says what was tried.';
  const say = problemTeller(tell, 'display-not-switched', advice);
  return (power) => say(power?.problem ?? null);
}

/** Reports why the folder of house creatives cannot be read, and when it can be read again (null). */
export function reportHouseFolder(tell: Tell, folder: string): (error: string | null) => void {
  const advice =
    'Check that the folder is there, that its drive is mounted, and that the user of the kiosk may read it. What was copied from it is still shown.';
  const say = problemTeller(tell, 'house-folder', advice);
  return (error) => say(error && `House creatives: ${folder} cannot be read (${error}).`);
}
