import { memo, useCallback, useLayoutEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { LinkEvent } from '../../shared/link';
import type { NativeCardPart } from '../../shared/native';
import { oneWaySender, type RpcPort } from '../../shared/rpc';
import { stageContract } from '../../shared/stage';
import { AdminOverlay } from '../admin/admin-overlay';
import { AnnouncementCard } from './announcement-card';
import { BrandCard, MessageCard } from './cards';
import { connectStage } from './connect-stage';
import type { Layer } from './layer';
import { ErrorBoundary, LayerView } from './layer-view';
import { LinkView } from './native-card/link-view';
import type { Stage } from './stage';
import { view } from './view';

const onCover = (cover: string) => view.setState({ covered: cover !== 'nothing' });

/** The whole page: guests of beacons behind everything, what shoppers see, and the overlay, turned like it. */
export function Page({ bridge }: { readonly bridge: RpcPort }) {
  const { rotation, language, corner, covered, card, link, announcement, guests } = useStore(view);
  const onLink = useCallback(
    (event: LinkEvent) => oneWaySender(bridge, stageContract.fromServer)('link', event),
    [bridge],
  );
  return (
    <>
      {/* Each is one pixel large, because a guest that is not drawn may be throttled. It gets no taps and no keys. */}
      {guests.map(({ url, partition }) => (
        <webview key={url} className="beacon-guest" inert partition={partition} src={url} />
      ))}
      <main className="screen" lang={language} data-rotation={rotation} data-corner={corner} inert={covered}>
        <StageView bridge={bridge} />
        <ErrorBoundary>
          {card.kind === 'brand' && <BrandCard language={language} />}
          {card.kind === 'message' && <MessageCard title={card.title} text={card.text} />}
          {link !== null && <LinkView link={link} emit={onLink} />}
          {announcement !== null && <AnnouncementCard {...announcement} />}
        </ErrorBoundary>
      </main>
      {window.endcapAdmin && (
        <ErrorBoundary>
          <AdminOverlay
            bridge={window.endcapAdmin}
            rotation={rotation}
            isAnnounced={announcement !== null}
            language={language}
            onCover={onCover}
          />
        </ErrorBoundary>
      )}
    </>
  );
}

/** The layers of the stage. Main's commands come through `bridge`. What changes around them does not draw them again. */
const StageView = memo(function StageView({ bridge }: { readonly bridge: RpcPort }) {
  const first = useRef<Layer>(null);
  const second = useRef<Layer>(null);
  const third = useRef<Layer>(null);
  const stage = useRef<Stage>(null);
  useLayoutEffect(() => {
    if (first.current === null || second.current === null || third.current === null) return;
    stage.current = connectStage([first.current, second.current, third.current], bridge);
  }, [bridge]);
  const onTap = (part: NativeCardPart) => stage.current?.take({ type: 'tap', part });
  return (
    <div className="stage">
      <LayerView ref={first} onTap={onTap} />
      <LayerView ref={second} onTap={onTap} />
      <LayerView ref={third} onTap={onTap} />
    </div>
  );
});
