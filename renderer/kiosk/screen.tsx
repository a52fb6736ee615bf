import { createPortal } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { useStore } from 'zustand';
import type { LinkEvent } from '../../shared/link';
import { AdminOverlay } from '../admin/admin-overlay';
import { BrandCard } from './brand-card';
import { LinkLayer } from './link-layer';
import { MessageCard } from './message-card';
import { view } from './view';

/**
 * Draws all that lies over the stage, as `view` says, from now on.
 *
 * @param screen the element that holds the stage; what shoppers see is drawn into it
 * @param root where staff's overlay is drawn, which is never turned with the stage
 */
export function drawScreen(screen: Element, root: Element, onLink: (event: LinkEvent) => void): void {
  createRoot(root).render(<Screen screen={screen} onLink={onLink} />);
}

const onCover = (cover: string) => view.setState({ covered: cover !== 'nothing' });

function Screen({ screen, onLink }: { screen: Element; onLink: (event: LinkEvent) => void }) {
  const { card, link, rotation, language } = useStore(view);
  return (
    <>
      {createPortal(
        <>
          <BrandCard visible={card.kind === 'brand'} language={language} />
          {card.kind === 'message' && <MessageCard title={card.title} text={card.text} />}
          {link !== null && <LinkLayer frame={link} emit={onLink} />}
        </>,
        screen,
      )}
      {window.endcapAdmin && (
        <AdminOverlay bridge={window.endcapAdmin} rotation={rotation} onCover={onCover} />
      )}
    </>
  );
}
