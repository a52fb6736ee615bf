import { createRoot } from 'react-dom/client';
import { AdminOverlay } from '../../renderer/admin/admin-overlay';
import type { OverlayProps } from '../../renderer/admin/overlay';
import { type PretendMain, pretendMain } from './pretend-main';

declare global {
  interface Window {
    /** The other end of the bridge; it records the calls of the page. */
    main: PretendMain;
    covers: string[];
    /** @param language what shoppers read; English by default */
    turn: (rotation: OverlayProps['rotation'], language?: string) => void;
  }
}

const container = document.getElementById('root');
if (container === null) throw new Error('the gallery page has no element with the id root');

window.main = pretendMain(() => performance.now());
window.covers = [];
const root = createRoot(container);
window.turn = (rotation, language = 'en') =>
  root.render(
    <AdminOverlay
      bridge={window.main.bridge}
      rotation={rotation}
      isAnnounced={false}
      language={language}
      onCover={(cover) => window.covers.push(cover)}
    />,
  );
window.turn(0);
