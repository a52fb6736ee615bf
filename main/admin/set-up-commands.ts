import type { ConnectionStep } from '../../shared/admin';
import type { Settings } from '../settings/settings';
import type { EndSoon, Note } from './actions';
import type { MachineControls } from './admin-parts';
import { type AdminCommands, AdminError } from './answer-calls';
import { hashPin } from './pin-hash';
import type { SetUp } from './set-up';
import { isWeakPin } from './weak-pin';

/** The overlay's commands for the set-up and the PIN. They refuse to change settings from an operator's file. */
export function setUpCommands(parts: {
  readonly setUp: SetUp;
  readonly settingsFile: string | null;
  readonly takePin: (hash: string) => void;
  readonly test: (settings: Settings) => Promise<readonly ConnectionStep[]>;
  readonly machine: MachineControls;
  readonly endSoon: EndSoon;
  readonly note: Note;
}) {
  const { setUp, settingsFile, takePin, test, machine, endSoon, note } = parts;

  function changeable(): void {
    if (setUp.managed) {
      throw new AdminError(
        'managed',
        `The settings come from ${settingsFile}; they are changed there (\`endcap pin\` prints admin.pinHash).`,
      );
    }
  }

  return {
    async changePin({ pin }) {
      changeable();
      if (!setUp.inUse) {
        throw new AdminError('not-here', 'The demo keeps its PIN; set the kiosk up to choose one.');
      }
      if (isWeakPin(pin)) return { result: 'weak' };
      const hash = await hashPin(pin);
      await setUp.savePin(hash);
      takePin(hash);
      note('change-pin');
      return { result: 'changed' };
    },
    setUp() {
      changeable();
      return setUp.page(machine.tryDemo !== null);
    },
    async testSetUp(form) {
      changeable();
      const checked = await setUp.check(form);
      if (checked.kind === 'problems') return { result: 'problems', problems: checked.problems };
      return { result: 'tested', steps: [...(await test(checked.settings))] };
    },
    async saveSetUp({ form, pin }) {
      changeable();
      const checked = await setUp.check(form);
      if (checked.kind === 'problems') return { result: 'problems', problems: checked.problems };
      const hasStoredPin = checked.settings.admin.pinHash !== null;
      if (pin === null ? !hasStoredPin : isWeakPin(pin)) return { result: 'weak-pin' };
      const file = await setUp.save(checked.raw, pin === null ? null : await hashPin(pin));
      note('set-up');
      endSoon(machine.restartPlayer);
      return { result: 'saved', file };
    },
    judgePin: ({ pin }) => isWeakPin(pin),
    tryDemo() {
      const { tryDemo } = machine;
      if (!tryDemo) throw new AdminError('not-here', 'There is no demo on this kiosk.');
      endSoon(tryDemo);
      return null;
    },
  } satisfies Partial<AdminCommands>;
}
