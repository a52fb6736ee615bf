import { GuestCommand } from '../../shared/guests';
import { LinkCommand } from '../../shared/link';
import { DARK_START_MS, type StageBridge, StageCommand } from '../../shared/stage';
import type { GuestPaints } from './guest-paints';
import type { Layer } from './layer';
import { Stage } from './stage';
import type { EachLayer } from './stage-state';
import { view } from './view';

const HEARTBEAT_MS = 1_000;

/** Has the stage obey main, and main hear what is on the stage, from now on. */
export function connectStage(layers: EachLayer<Layer>, paints: GuestPaints, bridge: StageBridge): Stage {
  const stage = new Stage(
    layers,
    {
      show: (kind) => view.setState({ card: { kind }, lit: true }),
      isCovered() {
        const { card, link, covered } = view.getState();
        return card.kind !== 'none' || link !== null || covered;
      },
    },
    (event) => {
      bridge.send(event);
      if (event.type === 'presented') view.setState({ lit: true });
    },
    {
      next: (run) => requestAnimationFrame(run),
      later(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      now: () => performance.now(),
      areVisible: () => document.visibilityState === 'visible',
    },
  );
  bridge.onCommand((message) => {
    const command = StageCommand.parse(message);
    if (command.type === 'message') {
      stage.obey({ type: 'stop' });
      view.setState({ card: { kind: 'message', title: command.title, text: command.text }, lit: true });
    } else if (command.type === 'screen') {
      view.setState({ rotation: command.rotation, language: command.language });
    } else {
      stage.obey(command);
    }
  });
  bridge.onGuestCommand((message) => {
    const command = GuestCommand.parse(message);
    if (command.type === 'painted' || command.type === 'broken') {
      paints.hear(command);
      return;
    }
    view.setState(({ guests }) => {
      const others = guests.filter(({ guest }) => guest !== command.guest);
      return { guests: command.type === 'open' ? [...others, command] : others };
    });
  });
  bridge.onLinkCommand((message) => view.setState({ link: LinkCommand.parse(message).frame }));
  // Only frames that are really drawn keep the heart beating (rule 25).
  setInterval(() => requestAnimationFrame(() => bridge.send({ type: 'heartbeat' })), HEARTBEAT_MS);
  setTimeout(() => stage.lightUp(), DARK_START_MS);
  bridge.send({ type: 'ready' });
  return stage;
}
