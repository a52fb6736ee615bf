import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { LinkEvent } from '../../shared/link';
import { AdminOverlay } from '../admin/admin-overlay';
import { BrandCard } from './brand-card';
import { LinkLayer } from './link-layer';
import { MessageCard } from './message-card';
import { view } from './view';

const onCover = (cover: string) => view.setState({ covered: cover !== 'nothing' });

/** The whole screen. `onStage` receives the element the stage's layers live in, once. */
export function Screen({
  onStage,
  onLink,
}: {
  onStage: (host: HTMLElement) => void;
  onLink: (event: LinkEvent) => void;
}) {
  const { card, link, covered, rotation, language } = useStore(view);
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current) onStage(host.current);
  }, [onStage]);
  return (
    <>
      <main className="screen" data-rotation={rotation} inert={covered}>
        <div className="stage" ref={host} />
        <BrandCard visible={card.kind === 'brand'} language={language} />
        {card.kind === 'message' && <MessageCard title={card.title} text={card.text} />}
        {link !== null && <LinkLayer frame={link} emit={onLink} />}
      </main>
      {window.endcapAdmin && (
        <AdminOverlay bridge={window.endcapAdmin} rotation={rotation} onCover={onCover} />
      )}
    </>
  );
}
