import { useCallback } from 'react';
import type { LinkFrame as Frame, LinkEvent } from '../../shared/link';
import { LinkFrame, type LinkFrameProps } from './native-card/link-frame';
import { QrCard, qrPicture } from './native-card/qr-card';

/** What an ad's tap led to: the frame of the link view, or a code for the phone. */
export function LinkLayer({ frame, emit }: { frame: Frame; emit: (event: LinkEvent) => void }) {
  // The same function at every second, or the frame would start watching anew.
  const onViewBounds = useCallback<NonNullable<LinkFrameProps['onViewBounds']>>(
    (bounds) => emit({ type: 'bounds', ...bounds }),
    [emit],
  );
  const wayBack = {
    onBack: () => emit({ type: 'back' }),
    onMoreTime: () => emit({ type: 'moreTime' }),
  };
  if (frame.kind === 'code') {
    const modules = frame.rows.map((row) => [...row].map((module) => module === '1'));
    return <QrCard {...frame} {...wayBack} code={qrPicture(modules)} />;
  }
  return (
    <LinkFrame
      {...frame}
      {...wayBack}
      onKey={(key) => emit({ type: 'key', key })}
      onHideKeyboard={() => emit({ type: 'hideKeyboard' })}
      onViewBounds={onViewBounds}
    />
  );
}
