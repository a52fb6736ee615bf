import { useState } from 'react';
import type { WeakPin } from '../../shared/admin';
import { useTools } from './overlay-context';
import { PinPad } from './pin-pad';

/** Asks for a new PIN twice; a weak one is refused at the first entry. `refused`: why main rejected the chosen PIN. */
export function ChoosePin({
  refused,
  onChosen,
}: {
  refused: WeakPin | null;
  onChosen: (pin: string) => void;
}) {
  const { calls, strings } = useTools();
  const [first, setFirst] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(refused === null ? null : strings.weakPins[refused]);
  const [round, setRound] = useState(0);

  const onPin = async (pin: string) => {
    if (first !== null) {
      if (pin === first) {
        onChosen(pin);
        return;
      }
      setFirst(null);
      setProblem(strings.pinsDiffer);
    } else {
      const judged = await calls.ask('judgePin', { pin });
      const weak = judged.ok ? judged.output : null;
      setProblem(
        judged.ok ? (weak === null ? null : strings.weakPins[weak]) : strings.callErrors[judged.code],
      );
      if (judged.ok && weak === null) setFirst(pin);
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
