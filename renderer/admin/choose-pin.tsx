import { useState } from 'react';
import type { WeakPin } from '../../shared/admin';
import { useTools } from './overlay-context';
import { PinPad } from './pin-pad';

/**
 * Asks for a new PIN twice; a weak one is refused at the first entry. `onChosen` resolves with why main rejected the
 * chosen PIN; null: it did not.
 */
export function ChoosePin({ onChosen }: { onChosen: (pin: string) => Promise<WeakPin | null> }) {
  const { calls, strings } = useTools();
  const [first, setFirst] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);

  const onPin = async (pin: string) => {
    if (first === null) {
      const judged = await calls.ask('judgePin', { pin });
      const weak = judged.ok ? judged.output : null;
      setProblem(
        judged.ok ? (weak === null ? null : strings.weakPins[weak]) : strings.callErrors[judged.code],
      );
      if (judged.ok && weak === null) setFirst(pin);
    } else {
      const weak = pin === first ? await onChosen(pin) : null;
      if (pin === first && weak === null) return;
      setFirst(null);
      setProblem(weak === null ? strings.pinsDiffer : strings.weakPins[weak]);
    }
    setRound((rounds) => rounds + 1);
  };
  return (
    <PinPad
      title={first === null ? strings.newPin : strings.repeatPin}
      about={strings.pinRules}
      problem={problem}
      round={round}
      disabled={false}
      onPin={(pin) => void onPin(pin)}
    />
  );
}
