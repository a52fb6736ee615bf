import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { AdminOverlay } from '../../renderer/admin/admin-overlay';
import { type PretendMain, pretendMain } from './pretend-main';

declare global {
  interface Window {
    /** The other end of the bridge; it records the calls of the page. */
    main: PretendMain;
    covers: string[];
  }
}

// As in the kiosk's own page: its policy forbids code made from strings.
z.config({ jitless: true });

const container = document.getElementById('root');
if (container === null) throw new Error('the gallery page has no element with the id root');

window.main = pretendMain(() => performance.now());
window.covers = [];
createRoot(container).render(
  <AdminOverlay
    bridge={window.main.bridge}
    rotation={0}
    isAnnounced={false}
    language="en"
    onCover={(cover) => window.covers.push(cover)}
  />,
);
