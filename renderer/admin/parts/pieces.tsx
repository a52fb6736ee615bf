import type { ReactNode } from 'react';
import type { AdminFaultCode, AdminProblem } from '../../../shared/admin';
import { useTools } from '../overlay-context';
import { Icon, type IconName } from './icon';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'plain';

export function Button({
  icon,
  children,
  onPress,
  kind = 'plain',
  disabled = false,
  label,
}: {
  icon?: IconName;
  children?: ReactNode;
  onPress: () => void;
  kind?: 'plain' | 'main' | 'danger' | 'ghost';
  disabled?: boolean;
  label?: string;
}) {
  return (
    <button
      type="button"
      className="a-button"
      data-kind={kind}
      disabled={disabled}
      onClick={onPress}
      aria-label={label}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span className="a-button-words">{children}</span>}
    </button>
  );
}

export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  title?: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`a-panel ${className}`} aria-label={title}>
      {title !== undefined && (
        <div className="a-panel-head">
          <h2 className="a-panel-title">{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="a-chip" data-tone={tone}>
      {children}
    </span>
  );
}

/** One of a few, as buttons side by side. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChoose,
  disabled = false,
}: {
  label: string;
  value: T;
  options: ReadonlyArray<{ value: T; words: string; badge?: string }>;
  onChoose: (value: T) => void;
  disabled?: boolean;
}) {
  return (
    <div className="a-choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className="a-choice-option"
          aria-pressed={option.value === value}
          disabled={disabled}
          onClick={() => onChoose(option.value)}
        >
          {option.words}
          {option.badge !== undefined && <span className="a-badge">{option.badge}</span>}
        </button>
      ))}
    </div>
  );
}

/** Where something is still being asked for: the room it will take. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const { strings } = useTools();
  return (
    <div className="a-skeleton" role="status" aria-label={strings.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="a-skeleton-line" />
      ))}
    </div>
  );
}

export function Meter({ value, label, tone = 'plain' }: { value: number; label: string; tone?: Tone }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div
      className="a-meter"
      data-tone={tone}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span className="a-meter-bar" style={{ width: `${percent}%` }} />
    </div>
  );
}

export function Empty({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div className="a-empty">
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  );
}

/** What is wrong and what to do, in the reader's language; what the program itself says stands beneath. */
export function ProblemWords({ code, message, advice }: AdminProblem) {
  const { strings } = useTools();
  const words = strings.problems[code];
  if (words === undefined) {
    return (
      <div lang="en">
        <p className="a-problem-message">{message}</p>
        {advice !== null && <p className="a-problem-advice">{advice}</p>}
      </div>
    );
  }
  return (
    <>
      <p className="a-problem-message">{words.what}</p>
      <p className="a-problem-advice">{words.todo}</p>
      <p className="a-technical" lang="en">
        {message}
      </p>
    </>
  );
}

/** Why something could not be had, and the way to try again. */
export function Refused({
  code,
  message,
  onRetry,
}: {
  code: AdminFaultCode;
  message: string;
  onRetry: () => void;
}) {
  const { strings } = useTools();
  return (
    <div className="a-refused" role="alert">
      <Icon name="warning" />
      <div className="a-refused-words">
        <p>{strings.faults[code]}</p>
        {message !== '' && (
          <p className="a-quiet" lang="en">
            {message}
          </p>
        )}
      </div>
      <Button onPress={onRetry}>{strings.retry}</Button>
    </div>
  );
}
