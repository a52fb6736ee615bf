import { useEffect, useState } from 'react';
import type { OverlayView } from '../../shared/admin';
import { useModel, useTick, useTools } from './overlay-context';
import { Button } from './parts/pieces';
import { PinPad } from './pin-pad';
import { waitText } from './wording';

/** Shown without a touch for this long, the pad goes away as it came. */
const LEAVE_AFTER_MS = 30_000;

/** The PIN pad, and nothing else of the kiosk. */
export function LockedView({ view }: { view: Extract<OverlayView, { view: 'locked' }> }) {
  const { calls, strings, monotonic } = useTools();
  const toldAt = useModel((model) => model.toldAt);
  const now = useTick(250);
  const [attempt, setAttempt] = useState<{ round: number; left: number | null; until: number }>({
    round: 0,
    left: null,
    until: 0,
  });
  const [asking, setAsking] = useState(false);
  const leave = () => void calls.ask('close', null);

  useEffect(() => {
    const close = () => void calls.ask('close', null);
    let timer = setTimeout(close, LEAVE_AFTER_MS);
    const stay = () => {
      clearTimeout(timer);
      timer = setTimeout(close, LEAVE_AFTER_MS);
    };
    addEventListener('pointerdown', stay, true);
    addEventListener('keydown', stay, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('pointerdown', stay, true);
      removeEventListener('keydown', stay, true);
    };
  }, [calls]);

  const wait = Math.max(view.waitMs > 0 ? toldAt + view.waitMs : 0, attempt.until) - now;
  const onPin = async (pin: string) => {
    setAsking(true);
    const reply = await calls.ask('unlock', { pin });
    setAsking(false);
    if (!reply.ok || reply.output.result === 'unlocked') return;
    const { output } = reply;
    setAttempt(({ round }) =>
      output.result === 'wrong'
        ? { round: round + 1, left: output.attemptsLeft, until: 0 }
        : { round: round + 1, left: null, until: monotonic() + output.waitMs },
    );
  };
  const problem =
    wait > 0
      ? strings.waitFor(waitText(wait, strings))
      : attempt.left === null
        ? null
        : strings.wrongPin(attempt.left);
  return (
    <div className="a-locked">
      <div className="a-corner">
        <Button kind="ghost" icon="close" label={strings.close} onPress={leave} />
      </div>
      <PinPad
        title={strings.enterPin}
        about={null}
        problem={problem}
        round={attempt.round}
        disabled={wait > 0 || asking}
        onPin={(pin) => void onPin(pin)}
        onEscape={leave}
      />
    </div>
  );
}
