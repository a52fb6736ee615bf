import { memo, useLayoutEffect, useRef } from 'react';
import type { NativeCardPart } from '../../shared/native';
import type { RpcPort } from '../../shared/rpc';
import { connectStage } from './connect-stage';
import type { Layer } from './layer';
import { LayerView } from './layer-view';
import type { Stage } from './stage';

/** The layers of the stage. Main's commands come through `bridge`. What changes around them does not draw them again. */
export const StageView = memo(function StageView({ bridge }: { readonly bridge: RpcPort }) {
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
