import { GuestCommand } from '../../shared/guests';
import { LinkCommand } from '../../shared/link';
import {
  DARK_START_MS,
  ON_ITS_WAY_MS,
  type StageBridge,
  StageCommand,
  type StageEvent,
} from '../../shared/stage';
import { z } from '../../shared/zod';
import { GuestPaints } from './guest-paints';
import { guestHost } from './guests';
import { heldByAnElement, KeptPictures } from './kept-pictures';
import { Layer } from './layer';
import { Stage } from './stage';
import { view } from './view';

declare global {
  interface Window {
    readonly endcap: StageBridge;
  }
}

// The page's policy forbids code made from strings, which the overlay's contract would otherwise try.
z.config({ jitless: true });

const HEARTBEAT_MS = 1_000;
/** What lies over the stage is loaded behind the first creative, or when that takes this long, ms. */
const DRAW_OVER_MS = 400;

const elementOf = (selector: string): HTMLElement => {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
};
const screenElement = elementOf('.screen');
const stageElement = elementOf('.stage');

/** The window may reach a pixel beyond the display (cover-display.ts); the page does not. */
function keepToDisplay(): void {
  const { style } = document.documentElement;
  style.setProperty('--display-width', `${Math.min(window.innerWidth, window.screen.width)}px`);
  style.setProperty('--display-height', `${Math.min(window.innerHeight, window.screen.height)}px`);
}
keepToDisplay();
window.addEventListener('resize', keepToDisplay);

let isDrawnOver = false;
/** Loads React and what it draws over the stage. Without that the heart does not beat either: the page is replaced. */
async function drawOver(): Promise<void> {
  if (isDrawnOver) return;
  isDrawnOver = true;
  const { drawScreen } = await import('./screen');
  drawScreen(screenElement, elementOf('#root'), (event) => window.endcap.sendLinkEvent(event));
  // Only frames that are really drawn keep the heart beating (rule 25).
  setInterval(() => requestAnimationFrame(() => emit({ type: 'heartbeat' })), HEARTBEAT_MS);
}

view.subscribe(({ rotation, covered, card, link }) => {
  screenElement.dataset.rotation = String(rotation);
  screenElement.inert = covered;
  if (card.kind !== 'none' || link !== null) void drawOver();
});

let isSomethingPresented = false;
/** However short creatives are, the first one alone is waited for. */
function drawOverSoon(): void {
  if (isSomethingPresented) return;
  isSomethingPresented = true;
  clearTimeout(drawingOver);
  setTimeout(drawOver, ON_ITS_WAY_MS);
}

function emit(event: StageEvent): void {
  window.endcap.send(event);
  if (event.type === 'presented') drawOverSoon();
}

const drawingOver = setTimeout(drawOver, DRAW_OVER_MS);
const paints = new GuestPaints();
const pictures = new KeptPictures(heldByAnElement);
const stage = new Stage(
  (onTap) => {
    const layer = new Layer(onTap, paints, pictures);
    stageElement.append(layer.element);
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
    later(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
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
