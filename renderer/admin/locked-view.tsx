import { useState } from 'react';
import type { OverlayView } from '../../shared/admin';
import { useModel, useTick, useTools } from './overlay-context';
import { Button } from './parts/pieces';
import { PinPad } from './pin-pad';
import { waitText } from './wording';

/** The PIN pad; it shows nothing of the kiosk. */
export function LockedView({ view }: { view: Extract<OverlayView, { view: 'locked' }> }) {
  const { calls, strings } = useTools();
  const receivedAt = useModel((model) => model.stateReceivedAt);
  const now = useTick(250);
  const [attempt, setAttempt] = useState<{ round: number; left: number | null; until: number }>({
    round: 0,
    left: null,
    until: 0,
  });
  const [asking, setAsking] = useState(false);
  const leave = () => void calls.ask('close', null);

  const wait = Math.max(view.waitMs > 0 ? receivedAt + view.waitMs : 0, attempt.until) - now;
  const onPin = async (pin: string) => {
    setAsking(true);
    const reply = await calls.ask('unlock', { pin });
    setAsking(false);
    if (!reply.ok || reply.output.result === 'unlocked') return;
    const { output } = reply;
    setAttempt(({ round }) =>
      output.result === 'wrong'
        ? { round: round + 1, left: output.attemptsLeft, until: 0 }
        : { round: round + 1, left: null, until: performance.now() + output.waitMs },
    );
  };
  const problem =
    wait > 0
      ? strings.waitFor(waitText(wait, strings))
      : attempt.left === null
        ? null
        : strings.wrongPin(attempt.left);
  return (
    <div className="a-locked a-centre a-fill">
      <div className="a-corner">
        <Button kind="ghost" icon="close" aria-label={strings.close} onClick={leave} />
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
