import { useState } from 'react';
import type { WeakPin } from '../../shared/admin';
import { useTools } from './overlay-context';
import { PinPad } from './pin-pad';
import { refusalText } from './wording';

/**
 * Asks for a new PIN twice; a weak one is refused at the first entry. `onChosen` resolves with why main rejected the
 * chosen PIN; null: it did not.
 */
export function ChoosePin({ onChosen }: { onChosen: (pin: string) => Promise<WeakPin | null> }) {
  const { call, strings } = useTools();
  const [first, setFirst] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const onFirst = async (pin: string) => {
    const judged = await call('judgePin', { pin });
    if (!judged.ok) return setProblem(refusalText(judged, strings));
    setProblem(judged.output && strings.pinRules);
    if (judged.output === null) setFirst(pin);
  };
  const onRepeated = async (pin: string) => {
    const weak = pin === first ? await onChosen(pin) : null;
    if (pin === first && weak === null) return;
    setFirst(null);
    setProblem(weak === null ? strings.pinsDiffer : strings.pinRules);
  };
  return (
    <PinPad
      title={first === null ? strings.newPin : strings.repeatPin}
      about={strings.pinRules}
      problem={problem}
      onPin={first === null ? onFirst : onRepeated}
    />
  );
}
