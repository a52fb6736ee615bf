import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react';
import { createPortal } from 'react-dom';
import { useFocusOnEntry, useTools } from '../overlay-context';
import { Button } from './pieces';

/** Where dialogs are drawn: inside the overlay, so that they turn with the screen. */
export const DIALOGS = 'a-dialogs';

/** After a dialog has gone, its page takes no touch for so long: the second of a double tap, and the end of one beside it, were not meant for it. */
const SETTLING_MS = 400;

export function isDialogOpen(): boolean {
  return (document.getElementById(DIALOGS)?.childElementCount ?? 0) > 0;
}

/**
 * Asks or shows something above the page, which is inert meanwhile. Escape and the
 * ground beside it are `onClose`; null: it cannot be left now.
 */
export function Dialog({
  title,
  about,
  children,
  buttons,
  onClose,
  alert = false,
  wide = false,
}: {
  title: string;
  about?: string;
  children?: ReactNode;
  buttons?: ReactNode;
  onClose: (() => void) | null;
  alert?: boolean;
  wide?: boolean;
}) {
  const { strings } = useTools();
  const words = useId();
  const box = useFocusOnEntry<HTMLDivElement>();
  const place = document.getElementById(DIALOGS);
  useEffect(() => {
    const below = place?.previousElementSibling;
    below?.toggleAttribute('inert', true);
    return () => {
      below?.toggleAttribute('inert', false);
      below?.toggleAttribute('data-settling', true);
      setTimeout(() => below?.toggleAttribute('data-settling', false), SETTLING_MS);
    };
  }, [place]);
  if (place === null) return null;
  return createPortal(
    <div
      className="a-dialog-ground"
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useAriaPropsSupportedByRole: its role is one of two, both of a dialog. */}
      <div
        ref={box}
        className="a-dialog"
        data-wide={wide}
        role={alert ? 'alertdialog' : 'dialog'}
        aria-modal="true"
        aria-label={title}
        aria-describedby={about === undefined ? undefined : words}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onClose?.();
          }
          if (event.key === 'Tab') keepInside(event);
        }}
      >
        <div className="a-dialog-head">
          <h2 className="a-dialog-title">{title}</h2>
          {onClose !== null && <Button kind="ghost" icon="close" label={strings.close} onPress={onClose} />}
        </div>
        {about !== undefined && (
          <p id={words} className="a-dialog-about">
            {about}
          </p>
        )}
        {children}
        {buttons !== undefined && <div className="a-dialog-buttons">{buttons}</div>}
      </div>
    </div>,
    place,
  );
}

function keepInside(event: KeyboardEvent<HTMLElement>): void {
  const stops = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('button, input, [tabindex="0"]'),
  ].filter((element) => !element.hasAttribute('disabled') && element.tabIndex >= 0);
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  const onEdge = document.activeElement === edge || document.activeElement === event.currentTarget;
  if (!onEdge) return;
  if (!event.shiftKey && document.activeElement === event.currentTarget) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}
