import { useMemo, useState } from 'react';
import type { OverlayView } from '../../shared/admin';
import { useTick, useTools } from './overlay-context';
import { Button } from './parts/pieces';
import { PinPad } from './pin-pad';
import { refusalText, waitText } from './wording';

/** The PIN pad; it shows nothing of the kiosk. */
export function LockedView({ view }: { view: Extract<OverlayView, { view: 'locked' }> }) {
  const { call, strings } = useTools();
  const until = useMemo(() => performance.now() + view.waitMs, [view]);
  const now = useTick(250);
  const [problem, setProblem] = useState<string | null>(null);
  const leave = () => void call('close', null);

  const wait = view.waitMs > 0 ? until - now : 0;
  const onPin = async (pin: string) => {
    const reply = await call('unlock', { pin });
    if (!reply.ok) return setProblem(refusalText(reply, strings));
    const { output } = reply;
    setProblem(output.result === 'wrong' ? strings.wrongPin(output.attemptsLeft) : null);
  };
  const shown = wait > 0 ? strings.waitFor(waitText(wait, strings)) : problem;
  return (
    <div className="a-centre a-fill">
      <div className="a-corner">
        <Button kind="ghost" icon="close" aria-label={strings.close} onClick={leave} />
      </div>
      <PinPad title={strings.enterPin} problem={shown} disabled={wait > 0} onPin={onPin} onEscape={leave} />
    </div>
  );
}
