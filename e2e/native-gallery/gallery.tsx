import { useEffect } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { AnnouncementCard } from '../../renderer/kiosk/announcement-card';
import { decodedCard } from '../../renderer/kiosk/native-card/decoded-card';
import { LinkView } from '../../renderer/kiosk/native-card/link-view';
import { NativeCard } from '../../renderer/kiosk/native-card/native-card';
import type { LinkEvent } from '../../shared/link';
import type { Scene } from './scenes';

declare global {
  interface Window {
    /** Draws a scene; resolves when it is on the screen. */
    show(scene: Scene, rotation?: 0 | 90 | 180 | 270): Promise<void>;
    /** What was tapped since the scene was shown. */
    taps: string[];
    /** The latest bounds that the link frame wants for its page. */
    viewBounds: { x: number; y: number; width: number; height: number } | null;
    /** The slot of the scene's picture, if it has one. */
    slot: HTMLElement | null;
  }
}

const container = document.getElementById('root');
if (container === null) throw new Error('the gallery page has no element with the id root');
const root = createRoot(container);

window.show = async (scene, rotation = 0) => {
  window.taps = [];
  window.viewBounds = null;
  const shown = scene.kind === 'card' ? { ...scene, content: await decodedCard(scene.content) } : scene;
  await new Promise<void>((done) => {
    flushSync(() =>
      root.render(
        <main className="screen" data-rotation={rotation}>
          <Shown scene={shown} onShown={done} />
        </main>,
      ),
    );
  });
  await document.fonts.ready;
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
};

const tapped = (what: string) => window.taps.push(what);

function emit(event: LinkEvent): void {
  if (event.type === 'bounds') window.viewBounds = event;
  else if (event.type === 'key') tapped(event.key.kind === 'text' ? event.key.text : event.key.kind);
  else tapped({ back: 'back', moreTime: 'more time', hideKeyboard: 'hide' }[event.type]);
}

function Shown({ scene, onShown }: { scene: Scene; onShown: () => void }) {
  useEffect(onShown, [onShown]);
  switch (scene.kind) {
    case 'card':
      return (
        <NativeCard
          key={scene.content.instance}
          content={scene.content}
          language={scene.language}
          onTap={tapped}
          pixels={null}
          isLeaving={false}
          framed={
            <div
              className="gallery-guest"
              ref={(slot) => {
                window.slot = slot;
              }}
            />
          }
        />
      );
    case 'announcement':
      return <AnnouncementCard {...scene.announcement} />;
    case 'link':
      return <LinkView link={scene.frame} emit={emit} />;
  }
}
