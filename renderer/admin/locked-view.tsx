import { useMemo, useState } from 'react';
import type { OverlayView } from '../../shared/admin';
import { useTick, useTools } from './overlay-context';
import { Button } from './parts/pieces';
import { PinPad } from './pin-pad';
import { refusalText, waitText } from './wording';

/** The PIN pad; it shows nothing of the kiosk. */
export function LockedView({ view }: { view: Extract<OverlayView, { view: 'locked' }> }) {
  const { calls, strings } = useTools();
  const until = useMemo(() => performance.now() + view.waitMs, [view]);
  const now = useTick(250);
  const [wasWrong, setWrong] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const leave = () => void calls.ask('close', null);

  const wait = view.waitMs > 0 ? until - now : 0;
  const onPin = async (pin: string) => {
    const reply = await calls.ask('unlock', { pin });
    setWrong(reply.ok && reply.output.result === 'wrong');
    setFailure(reply.ok ? null : refusalText(reply, strings));
  };
  const wrongPin = wasWrong && view.attemptsLeft > 0 ? strings.wrongPin(view.attemptsLeft) : failure;
  const problem = wait > 0 ? strings.waitFor(waitText(wait, strings)) : wrongPin;
  return (
    <div className="a-centre a-fill">
      <div className="a-corner">
        <Button kind="ghost" icon="close" aria-label={strings.close} onClick={leave} />
      </div>
      <PinPad title={strings.enterPin} problem={problem} disabled={wait > 0} onPin={onPin} onEscape={leave} />
    </div>
  );
}
