import { useCallback } from 'react';
import type { LinkFrame as Frame, LinkEvent } from '../../shared/link';
import { LinkFrame, type LinkFrameProps } from './native-card/link-frame';
import { QrCard, qrPicture } from './native-card/qr-card';

/** What a tap on an ad opened: the frame of the link view, or a QR code for the phone. */
export function LinkLayer({ frame, emit }: { frame: Frame; emit: (event: LinkEvent) => void }) {
  // Memoized: this renders every second, and a new function would make the frame observe its size again.
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
