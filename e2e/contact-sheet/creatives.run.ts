import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'playwright/test';
import type { DemoService } from '../../main/demo-service/demo-service';
import { type Kiosk, root } from '../kiosk';
import { folder, launch, service, test } from '../kiosk-test';
import { nativeAd, nativeSettings } from '../native-zone';

/** How `npm run screenshot` names the display and its pictures: `ENDCAP_SHEET` is the beginning of their paths. */
const { DISPLAY = '', ENDCAP_SHEET: sheet = 'sheet', ENDCAP_SHEET_SIZE: size = '1920x1080' } = process.env;
const [width = 0, height = 0] = size.split('x').map(Number);

const ROTATIONS = [0, 90, 180, 270] as const;

const creative = (name: string) => readFileSync(join(root, 'main/demo-service/creatives', name));

/** A page as an agency might make it: text, a moving shape, and no external resource. */
const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>
  html { height: 100%; background: #0b3d2e; color: #fff7e0; font: 700 8vmin/1.1 system-ui, sans-serif }
  body { height: 100%; margin: 0; display: grid; place-content: center; gap: 4vmin; text-align: center }
  b { justify-self: center; width: 22vmin; height: 22vmin; border-radius: 50%; background: #ffb443;
      animation: rise 2s ease-in-out infinite alternate }
  @keyframes rise { to { transform: translateY(-4vmin) } }
</style></head><body><b></b>Bread, baked now.</body></html>`;

/** Every kind of creative, in the order in which the sheet has them. */
const KINDS = ['brand', 'image', 'letterbox', 'video', 'page', 'native'] as const;
type Kind = (typeof KINDS)[number];

function serve(service: DemoService, upright: boolean): void {
  const way = upright ? 'portrait' : 'landscape';
  const other = upright ? 'landscape' : 'portrait';
  service.setMedia('image.jpg', creative(`lumen-${way}.jpg`), 'image/jpeg');
  service.setMedia('letterbox.jpg', creative(`hearth-${other}.jpg`), 'image/jpeg');
  service.setMedia('video.mp4', creative(`solara-${way}.mp4`), 'video/mp4');
  service.setMedia('page.html', Buffer.from(PAGE), 'text/html');
  service.setMedia('banner.jpg', creative('native-kiosko-banner.jpg'), 'image/jpeg');
  service.setMedia('icon.png', creative('native-kiosko-icon.png'), 'image/png');
  const ad = (id: Kind, name: string, type: string) => ({
    id,
    durationSeconds: 3,
    media: [{ name, type, width: 1920, height: 1080 }],
    metadata: { flight_id: id, source_id: 'cms' },
  });
  service.setAds([
    ad('image', 'image.jpg', 'image/jpeg'),
    ad('letterbox', 'letterbox.jpg', 'image/jpeg'),
    ad('video', 'video.mp4', 'video/mp4'),
    ad('page', 'page.html', 'text/html'),
  ]);
  const media = (name: string) => `${service.origin}/media/${name}`;
  service.setNativeAds([
    nativeAd(service, 'native', {
      assets: [
        { type: 'title', data: { text: 'Kiosko Cold Brew' } },
        {
          type: 'description',
          data: { text: 'Twenty hours slow-steeped, never heated. In the cooler by the tills.' },
        },
        { type: 'cta', data: { text: 'See the flavours' } },
        { type: 'rating', data: { number: 4.6 } },
        { type: 'banner', data: { w: 1200, h: 627, url: media('banner.jpg') } },
        { type: 'icon', data: { w: 200, h: 200, url: media('icon.png') } },
      ],
    }),
  ]);
}

/** Waits until this kind is on the screen, and captures the display: named so that the order is that of the sheet. */
async function picture(kiosk: Kiosk, kind: Kind, rotation: number): Promise<void> {
  const shows = async () => {
    if (kind === 'brand') return kiosk.screen.locator('.brand-card').isVisible();
    const { now } = await kiosk.status();
    return kind === 'native' ? now?.kind === 'native' : now?.adId === kind;
  };
  await expect.poll(shows, { timeout: 45_000, intervals: [100] }).toBe(true);
  // After two more frames, what the status reports is drawn, and a page or video has moved.
  await kiosk.screen.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300)))),
  );
  mkdirSync(dirname(sheet), { recursive: true });
  const display = ['-f', 'x11grab', '-draw_mouse', '0', '-video_size', size, '-i', DISPLAY];
  const file = `${sheet}-${String(rotation).padStart(3, '0')}-${KINDS.indexOf(kind)}-${kind}.png`;
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...display, '-frames:v', '1', file]);
}

test('every kind of creative in every rotation', async () => {
  test.setTimeout(8 * 60_000);
  const dataDir = (name: string) => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const settings = nativeSettings(service, { cardSeconds: 3, native: { everySlots: 4 } });
  for (const rotation of ROTATIONS) {
    const turned = { ...settings, playback: { ...settings.playback, rotation } };
    service.setAds([]);
    const dark = await launch(
      { ...turned, native: { enabled: false } },
      { dataDir: dataDir(`${rotation}-brand`) },
    );
    await picture(dark, 'brand', rotation);
    await dark.kill();
    serve(service, height > width !== (rotation % 180 === 90));
    const lit = await launch(turned, { dataDir: dataDir(`${rotation}`) });
    for (const kind of KINDS.slice(1)) await picture(lit, kind, rotation);
    await lit.kill();
  }
});
