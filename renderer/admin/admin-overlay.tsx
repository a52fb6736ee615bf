import { type ComponentType, useEffect, useRef, useState } from 'react';
import { type Call, holdPort, type RpcPort } from '../../shared/rpc';
import type { Cover, OverlayProps } from './overlay';
import { picturePoint, type Rotation } from './picture-point';

declare global {
  interface Window {
    /** Absent where no admin bridge was given to the page. */
    readonly endcapAdmin?: RpcPort;
  }
}

/** By then the first creative is on the screen, or waits for something slower than this. */
const LOAD_AFTER_MS = 1_100;

/** Numbers of the calls made here; those of the loaded overlay are positive. */
const TAP_CALL = 0;

/**
 * What of the admin overlay is always there, without a trace on the screen: it
 * tells main of presses (main recognises the gesture) and fetches the rest when
 * the kiosk has started, or when main has something to show.
 * `onCover` is told whenever something begins or ceases to lie on the stage.
 */
export function AdminOverlay({
  bridge,
  rotation,
  onCover,
}: {
  bridge: RpcPort;
  rotation: Rotation;
  onCover: (cover: Cover) => void;
}) {
  const [Overlay, setOverlay] = useState<ComponentType<OverlayProps> | null>(null);
  const line = useRef<RpcPort>(null);
  const cover = useRef<Cover>('nothing');
  const turned = useRef(rotation);
  turned.current = rotation;

  useEffect(() => {
    const load = () =>
      void import('./overlay').then(
        (module) => setOverlay(() => module.Overlay),
        // The page's own files cannot be read: the next message tries again.
        () => undefined,
      );
    line.current ??= holdPort(bridge, Number.POSITIVE_INFINITY, load);
    const timer = setTimeout(() => requestIdleCallback(load, { timeout: LOAD_AFTER_MS }), LOAD_AFTER_MS);
    const onPress = (event: PointerEvent) => {
      if (!event.isTrusted || cover.current === 'overlay') return;
      // A window may be larger than the display it is on.
      const size = {
        width: Math.min(innerWidth, screen.width),
        height: Math.min(innerHeight, screen.height),
      };
      const point = { x: event.clientX, y: event.clientY, ...size };
      const input = picturePoint(point, turned.current);
      // The contract itself is loaded with the rest.
      bridge.send({ call: TAP_CALL, command: 'tap', input } satisfies Call);
    };
    addEventListener('pointerdown', onPress, { capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('pointerdown', onPress, { capture: true });
    };
  }, [bridge]);

  if (Overlay === null || line.current === null) return null;
  return (
    <Overlay
      line={line.current}
      onCover={(now) => {
        cover.current = now;
        onCover(now);
      }}
    />
  );
}
