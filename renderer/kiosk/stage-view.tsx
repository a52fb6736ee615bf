import { useCallback, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { NativeCardPart } from '../../shared/native';
import type { RpcPort } from '../../shared/rpc';
import { connectStage } from './connect-stage';
import { GuestPaints } from './guest-paints';
import { heldByAnElement, KeptPictures } from './kept-pictures';
import { Layer, type LayerElements } from './layer';
import { LayerView } from './layer-view';
import type { Stage } from './stage';
import type { LayerIndex } from './stage-state';
import { drawStill } from './still-picture';
import { type LayerContent, setLayerContent } from './view';

/** The layers of the stage. Main's commands come through `bridge`. */
export function StageView({ bridge }: { readonly bridge: RpcPort }) {
  const first = useRef<LayerElements>(null);
  const second = useRef<LayerElements>(null);
  const third = useRef<LayerElements>(null);
  const stage = useRef<Stage>(null);
  const cardError = useRef<Error>(null);
  useLayoutEffect(() => {
    const draw = (layer: LayerIndex) => (content: LayerContent) => {
      cardError.current = null;
      flushSync(() => setLayerContent(layer, content));
      if (cardError.current !== null) throw cardError.current;
    };
    const paints = new GuestPaints();
    const pictures = new KeptPictures(heldByAnElement);
    if (first.current === null || second.current === null || third.current === null) return;
    const layers = [
      new Layer(first.current, draw(0), paints, pictures, drawStill),
      new Layer(second.current, draw(1), paints, pictures, drawStill),
      new Layer(third.current, draw(2), paints, pictures, drawStill),
    ] as const;
    stage.current = connectStage(layers, paints, bridge);
  }, [bridge]);
  const onTap = useCallback((part: NativeCardPart) => stage.current?.take({ type: 'tap', part }), []);
  const onCardError = useCallback((error: Error) => {
    cardError.current = error;
  }, []);
  return (
    <div className="stage">
      <LayerView index={0} ref={first} onTap={onTap} onCardError={onCardError} />
      <LayerView index={1} ref={second} onTap={onTap} onCardError={onCardError} />
      <LayerView index={2} ref={third} onTap={onTap} onCardError={onCardError} />
    </div>
  );
}
