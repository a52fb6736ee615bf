import { useCallback } from 'react';
import type { LinkFrame as Frame, LinkEvent } from '../../shared/link';
import { LinkFrame, type LinkFrameProps } from './native-card/link-frame';
import { QrCard, qrPicture } from './native-card/qr-card';

/** What an ad's tap led to: the frame of the link view, or a code for the phone. */
export function LinkLayer({ frame, emit }: { frame: Frame; emit: (event: LinkEvent) => void }) {
  const { language, secondsLeft, seconds, keyboard } = frame;
  const idle = { secondsLeft, seconds };
  const onBack = () => emit({ type: 'back' });
  const onMoreTime = () => emit({ type: 'moreTime' });
  // The same function at every second, or the frame would start watching anew.
  const onViewBounds = useCallback<NonNullable<LinkFrameProps['onViewBounds']>>(
    (bounds) => emit({ type: 'bounds', ...bounds }),
    [emit],
  );
  if (frame.kind === 'code') {
    const rows = frame.rows.map((row) => [...row].map((module) => module === '1'));
    return (
      <QrCard
        code={qrPicture(rows)}
        target={frame.target}
        title={frame.title}
        idle={idle}
        language={language}
        onBack={onBack}
        onMoreTime={onMoreTime}
      />
    );
  }
  return (
    <LinkFrame
      url={frame.url}
      keyboard={keyboard}
      guest={frame.guest}
      onKey={(key) => emit({ type: 'key', key })}
      onHideKeyboard={() => emit({ type: 'hideKeyboard' })}
      state={frame.state}
      idle={idle}
      language={language}
      onBack={onBack}
      onMoreTime={onMoreTime}
      onViewBounds={onViewBounds}
    />
  );
}
