import { useEffect, useRef } from 'react';
import { type LinkFrame as Frame, PageKey } from '../../../shared/link';
import { Keyboard } from '../../keyboard/keyboard';
import { shownDomain, stringsFor } from './strings';
import { type Opened, WayBack } from './way-back';

export type LinkFrameProps = Omit<Extract<Frame, { kind: 'page' }>, 'kind'> & Opened;

/** The frame around a page that an ad links to: the page's domain, and the back button (rule 18). */
export function LinkFrame({ url, state, keyboard, guest, ...opened }: LinkFrameProps) {
  const { emit } = opened;
  const strings = stringsFor(opened.language);
  const domain = shownDomain(url);
  const [title, text] =
    state === 'failed' ? [strings.pageFailed, strings.pageFailedAdvice] : [domain, strings.opening];
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = view.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      const { x, y, width, height } = element.getBoundingClientRect();
      emit({ type: 'bounds', x, y, width, height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [emit]);
  return (
    <section className="link-frame ad-page" data-state={state}>
      <div className="link-view" ref={view}>
        <div key={title} role={state === 'failed' ? 'alert' : undefined}>
          <p className="native-title" data-size="small" dir="ltr">
            {title}
          </p>
          <p className="native-description">{text}</p>
        </div>
        {/* The page, if the screen is rotated; otherwise a view over this window shows it. */}
        {guest && (
          <webview
            key={guest.id}
            className="link-page"
            data-shown={guest.isShown}
            partition={guest.partition}
            src={guest.url}
          />
        )}
      </div>
      <div className="link-progress" aria-hidden="true" />
      {keyboard !== null && (
        <Keyboard
          key={keyboard}
          className="link-keyboard"
          use={keyboard}
          language={strings.language}
          onPress={(key) => {
            const felt = PageKey.safeParse(key);
            if (felt.success) emit({ type: 'key', key: felt.data });
            else if (key.kind === 'hide') emit({ type: 'hideKeyboard' });
          }}
        />
      )}
      <WayBack label={strings.visiting} domain={domain} {...opened} />
    </section>
  );
}
