import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { GuestCommand } from '../../shared/guests';
import { LinkCommand } from '../../shared/link';
import { type StageBridge, StageCommand, type StageEvent } from '../../shared/stage';
import { GuestPaints } from './guest-paints';
import { guestHost } from './guests';
import { heldByAnElement, KeptPictures } from './kept-pictures';
import { Layer } from './layer';
import { Screen } from './screen';
import { Stage } from './stage';
import { view } from './view';

declare global {
  interface Window {
    readonly endcap: StageBridge;
  }
}

// The page's policy forbids code made from strings, which zod would otherwise try.
z.config({ jitless: true });

const HEARTBEAT_MS = 1_000;
/** The first creative gets this long to be the first thing on the screen; then the brand card is, ms. */
const DARK_START_MS = 1_500;
const emit = (event: StageEvent) => window.endcap.send(event);

/** The window may reach a pixel beyond the display (kiosk-window.ts); the page does not. */
function keepToDisplay(): void {
  const { style } = document.documentElement;
  style.setProperty('--display-width', `${Math.min(window.innerWidth, window.screen.width)}px`);
  style.setProperty('--display-height', `${Math.min(window.innerHeight, window.screen.height)}px`);
}
keepToDisplay();
window.addEventListener('resize', keepToDisplay);

function onStage(host: HTMLElement): void {
  const paints = new GuestPaints();
  const pictures = new KeptPictures(heldByAnElement);
  const stage = new Stage(
    (onTap) => {
      const layer = new Layer(onTap, paints, pictures);
      host.append(layer.element);
      return layer;
    },
    {
      show: (kind) => view.setState({ card: { kind } }),
      isCovered: () =>
        view.getState().card.kind !== 'none' || view.getState().link !== null || view.getState().covered,
    },
    emit,
    {
      next: (run) => requestAnimationFrame(run),
      now: () => performance.now(),
      areVisible: () => document.visibilityState === 'visible',
    },
  );
  window.endcap.onCommand((message) => {
    const command = StageCommand.parse(message);
    if (command.type === 'message') {
      stage.obey({ type: 'stop' });
      view.setState({ card: { kind: 'message', title: command.title, text: command.text } });
    } else if (command.type === 'screen') {
      view.setState({ rotation: command.rotation, language: command.language });
    } else {
      stage.obey(command);
    }
  });
  const guests = guestHost(document.body, paints);
  window.endcap.onGuestCommand((message) => guests(GuestCommand.parse(message)));
  window.endcap.onLinkCommand((message) => view.setState({ link: LinkCommand.parse(message).frame }));
  emit({ type: 'ready' });
  setTimeout(() => stage.lightUp(), DARK_START_MS);
  // Only frames that are really drawn keep the heart beating (rule 25).
  setInterval(() => requestAnimationFrame(() => emit({ type: 'heartbeat' })), HEARTBEAT_MS);
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <Screen onStage={onStage} onLink={(event) => window.endcap.sendLinkEvent(event)} />,
  );
