import { useEffect, useRef } from 'react';
import type { KeyboardField, LinkGuest, PageKey } from '../../../shared/link';
import { LinkKeyboard } from './link-keyboard';
import { shownDomain, stringsFor } from './strings';
import { BackButton, IdleCountdown, type IdleCountdownProps } from './way-back';

export interface LinkFrameProps extends IdleCountdownProps {
  /** The address that is open, or being opened. */
  readonly url: string;
  readonly state: 'loading' | 'open' | 'failed';
  /** Kind of the page's field that has the focus; null: none. */
  readonly keyboard: KeyboardField | null;
  /** The page's guest, if the screen is rotated; otherwise a view over this window shows the page. */
  readonly guest?: LinkGuest | undefined;
  readonly onKey: (key: PageKey) => void;
  readonly onHideKeyboard: () => void;
  readonly onBack: () => void;
  /** Called with the area for the page, in px of this window, at first and whenever it changes. */
  readonly onViewBounds?: (bounds: { x: number; y: number; width: number; height: number }) => void;
}

/** The frame around a page that an ad links to: the page's domain, and the back button (rule 18). */
export function LinkFrame(props: LinkFrameProps) {
  const { url, state, language, keyboard, guest, onBack, onViewBounds } = props;
  const strings = stringsFor(language);
  const domain = shownDomain(url);
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = view.current;
    if (element === null || onViewBounds === undefined) return;
    const tell = (): void => {
      const { x, y, width, height } = element.getBoundingClientRect();
      onViewBounds({ x, y, width, height });
    };
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(element);
    return () => observer.disconnect();
  }, [onViewBounds]);
  return (
    <section className="link-frame ad-page" data-state={state}>
      <div className="link-layout">
        <div className="link-view" ref={view}>
          {state === 'failed' ? (
            <div className="link-notice" role="alert">
              <p className="native-title" data-size="small">
                {strings.pageFailed}
              </p>
              <p className="native-description">{strings.pageFailedAdvice}</p>
            </div>
          ) : (
            <div className="link-notice">
              <p className="native-description">{strings.opening}</p>
              <p className="native-title" data-size="small" dir="ltr">
                {domain}
              </p>
            </div>
          )}
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
          <LinkKeyboard
            key={keyboard}
            field={keyboard}
            language={language}
            onKey={props.onKey}
            onHide={props.onHideKeyboard}
          />
        )}
        <div className="link-bar ad-line">
          <BackButton text={strings.back} onBack={onBack} />
          <p className="link-domain">
            <span className="link-domain-label">{strings.visiting}</span>
            <span className="link-domain-name">
              <bdi dir="ltr">{domain}</bdi>
            </span>
          </p>
          <IdleCountdown {...props} />
        </div>
      </div>
    </section>
  );
}
