import { useEffect, useState } from 'react';
import { LOCKS_AFTER_MS } from '../../shared/admin';
import { useTools } from './overlay-context';

const WARN_MS = 10_000;
const INPUTS = ['pointerdown', 'keydown', 'wheel'] as const;

/** Seconds until main locks the overlay, in the last `WARN_MS`; null before. */
export function useLockWarning(): number | null {
  const { monotonic } = useTools();
  const [secondsLeft, setSecondsLeft] = useState<number | null>(null);
  useEffect(() => {
    let touchedAt = monotonic();
    const onInput = () => {
      touchedAt = monotonic();
      setSecondsLeft(null);
    };
    const timer = setInterval(() => {
      const left = touchedAt + LOCKS_AFTER_MS - monotonic();
      setSecondsLeft(left <= WARN_MS ? Math.max(0, Math.ceil(left / 1_000)) : null);
    }, 500);
    for (const name of INPUTS) addEventListener(name, onInput, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      for (const name of INPUTS) removeEventListener(name, onInput, { capture: true });
    };
  }, [monotonic]);
  return secondsLeft;
}
