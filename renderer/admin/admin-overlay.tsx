import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { type Call, holdPort, type RpcPort } from '../../shared/rpc';
import type { Cover, OverlayProps } from './overlay';
import { picturePoint, type Rotation } from './picture-point';

declare global {
  interface Window {
    /** Absent where no admin bridge was given to the page. */
    readonly endcapAdmin?: RpcPort;
  }
}

/** Numbers of the calls made here; those of the loaded overlay are positive. */
const TAP_CALL = 0;

/**
 * What of the admin overlay is always there, without a trace on the screen: it
 * tells main of presses (main recognises the gesture) and fetches the rest once
 * there is a picture on the stage, or when main has something to show.
 *
 * @param props.isLit the stage shows something: the first creative, or the brand card
 * @param props.onCover told whenever something begins or ceases to lie on the stage
 */
export function AdminOverlay({
  bridge,
  rotation,
  isLit,
  onCover,
}: {
  bridge: RpcPort;
  rotation: Rotation;
  isLit: boolean;
  onCover: (cover: Cover) => void;
}) {
  const [Overlay, setOverlay] = useState<ComponentType<OverlayProps> | null>(null);
  const line = useRef<RpcPort>(null);
  const cover = useRef<Cover>('nothing');
  const turned = useRef(rotation);
  turned.current = rotation;
  const load = useCallback(
    () =>
      void import('./overlay').then(
        (module) => setOverlay(() => module.Overlay),
        // The page's own files cannot be read: the next message tries again.
        () => undefined,
      ),
    [],
  );

  useEffect(() => {
    if (isLit) requestIdleCallback(load);
  }, [isLit, load]);
  useEffect(() => {
    line.current ??= holdPort(bridge, Number.POSITIVE_INFINITY, load);
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
    return () => removeEventListener('pointerdown', onPress, { capture: true });
  }, [bridge, load]);

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
