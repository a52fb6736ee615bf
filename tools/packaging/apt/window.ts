const DAY = 24 * 60;

/** When kiosks update, every night, in their local time: `HH:MM`. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/**
 * The two timers of apt in that window. In the first half, a kiosk looks for versions and downloads them; in the
 * second half, it installs them: each kiosk at a moment of its own. A missed window is not made up for, because that
 * might be in the middle of the day.
 * @returns drop-ins for apt-daily.timer and apt-daily-upgrade.timer
 */
export function timers({ from, to }: Window): { download: string; install: string } {
  const start = minutes(from);
  const length = (minutes(to) - start + DAY) % DAY;
  const half = Math.floor(length / 2);
  return { download: timer(start, half), install: timer((start + half) % DAY, length - half) };
}

/**
 * @param start minute of the day
 * @param within minutes
 */
function timer(start: number, within: number): string {
  return `[Timer]
OnCalendar=
OnCalendar=*-*-* ${time(start)}:00
# The same delay every night, another one on each kiosk.
RandomizedDelaySec=${within}m
FixedRandomDelay=yes
Persistent=no
`;
}

function minutes(text: string): number {
  const [hours = 0, rest = 0] = text.split(':').map(Number);
  return hours * 60 + rest;
}

/** @param minute of the day */
function time(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
