import type { LinkFrame as Frame, LinkEvent } from '../../shared/link';
import { LinkFrame } from './native-card/link-frame';
import { QrCard } from './native-card/qr-card';
import { qrPicture } from './native-card/qr-path';

/** What an ad's tap led to: the frame of the link view, or a code for the phone. */
export function LinkLayer({ frame, emit }: { frame: Frame; emit: (event: LinkEvent) => void }) {
  const { language, secondsLeft, seconds, keyboard } = frame;
  const idle = { secondsLeft, seconds };
  const onBack = () => emit({ type: 'back' });
  const onMoreTime = () => emit({ type: 'moreTime' });
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
      onKey={(key) => emit({ type: 'key', key })}
      onHideKeyboard={() => emit({ type: 'hideKeyboard' })}
      state={frame.state}
      idle={idle}
      language={language}
      onBack={onBack}
      onMoreTime={onMoreTime}
      onViewBounds={tellBounds(emit)}
    />
  );
}

const tellers = new WeakMap<object, (bounds: Omit<Extract<LinkEvent, { type: 'bounds' }>, 'type'>) => void>();

/** The same function for the same `emit`, so that the frame does not start watching anew with every second. */
function tellBounds(emit: (event: LinkEvent) => void) {
  const known = tellers.get(emit);
  if (known) return known;
  const tell = (bounds: Omit<Extract<LinkEvent, { type: 'bounds' }>, 'type'>) =>
    emit({ type: 'bounds', ...bounds });
  tellers.set(emit, tell);
  return tell;
}
