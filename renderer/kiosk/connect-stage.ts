import { oneWaySender, type RpcPort, serveRpc } from '../../shared/rpc';
import { DARK_START_MS, stageContract } from '../../shared/stage';
import { sendHeartbeats } from './heartbeats';
import type { Layer } from './layer';
import { Stage, type StagePage } from './stage';
import type { EachLayer } from './stage-state';
import { view } from './view';

/** Connects the stage to main: it obeys main's commands, and reports its events. */
export function connectStage(layers: EachLayer<Layer>, port: RpcPort): Stage {
  const tell = oneWaySender(port, stageContract.fromServer);
  const page: StagePage = {
    next: (run) => requestAnimationFrame(run),
    later(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    now: () => performance.now(),
    isSeen() {
      const { card, link, announcement, covered } = view.getState();
      const isCovered = card.kind !== 'none' || link !== null || announcement !== null || covered;
      return document.visibilityState === 'visible' && !isCovered;
    },
    show: (kind) => view.setState({ card: { kind } }),
    emit(event) {
      try {
        tell('stage', event);
      } catch (error) {
        // Log the error and go on: it must not interrupt the frame.
        reportError(error);
      }
    },
  };
  const stage = new Stage(layers, page);
  view.subscribe(() => stage.changed());
  document.addEventListener('visibilitychange', () => stage.changed());
  serveRpc(stageContract, port, {
    commands: {},
    received: {
      stage(command) {
        if (command.type === 'message') {
          stage.take({ type: 'stop' });
          view.setState({ card: { kind: 'message', title: command.title, text: command.text } });
        } else if (command.type === 'screen' || command.type === 'announcement') {
          const { type, ...shown } = command;
          view.setState(shown);
        } else if (command.type === 'volume') {
          for (const layer of layers) layer.volume = command.volume;
        } else {
          stage.take(command);
        }
      },
      guest(command) {
        if (command.type === 'painted' || command.type === 'broken') {
          for (const layer of layers) layer.handleReport(command);
          return;
        }
        view.setState(({ guests }) => {
          const others = guests.filter(({ guest }) => guest !== command.guest);
          return { guests: command.type === 'open' ? [...others, command] : others };
        });
      },
      link: ({ frame }) => view.setState({ link: frame }),
    },
    onInvalid(problem) {
      throw new Error(`main sent a message that breaks the contract: ${problem}`);
    },
  });
  sendHeartbeats(page);
  setTimeout(() => stage.take({ type: 'light-up' }), DARK_START_MS);
  page.emit({ type: 'ready' });
  return stage;
}
