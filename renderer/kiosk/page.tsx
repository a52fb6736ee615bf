import { useCallback } from 'react';
import { useStore } from 'zustand';
import type { LinkEvent } from '../../shared/link';
import { type RpcPort, tellOn } from '../../shared/rpc';
import { stageContract } from '../../shared/stage';
import { AdminOverlay } from '../admin/admin-overlay';
import { AnnouncementCard } from './announcement-card';
import { BrandCard, MessageCard } from './cards';
import { ErrorBoundary } from './layer-view';
import { LinkFrame } from './native-card/link-frame';
import { QrCard } from './native-card/qr-card';
import { StageView } from './stage-view';
import { view } from './view';

const onCover = (cover: string) => view.setState({ covered: cover !== 'nothing' });

/** The whole page: guests of beacons behind everything, what shoppers see, and the overlay, which is never rotated. */
export function Page({ bridge }: { readonly bridge: RpcPort }) {
  const { rotation, language, covered, card, link, announcement, guests } = useStore(view);
  const onLink = useCallback(
    (event: LinkEvent) => tellOn(bridge, stageContract.fromServer)('link', event),
    [bridge],
  );
  return (
    <>
      {/* Each is one pixel large, because a guest that is not drawn may be throttled. It gets no taps and no keys. */}
      {guests.map(({ url, partition }) => (
        <webview key={url} className="beacon-guest" inert partition={partition} src={url} />
      ))}
      <main className="screen" lang={language} data-rotation={rotation} inert={covered}>
        <StageView bridge={bridge} />
        <ErrorBoundary>
          <BrandCard visible={card.kind === 'brand'} language={language} />
          {card.kind === 'message' && <MessageCard title={card.title} text={card.text} />}
          {link?.kind === 'page' && <LinkFrame {...link} emit={onLink} />}
          {link?.kind === 'code' && <QrCard {...link} emit={onLink} />}
          {announcement !== null && <AnnouncementCard announcement={announcement} />}
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
