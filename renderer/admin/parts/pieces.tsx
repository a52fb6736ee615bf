import type { ComponentProps, ReactNode } from 'react';
import { type QueryResult, useTools } from '../overlay-context';
import type { Problem } from '../overlay-model';
import { LANGUAGE_NAMES } from '../strings/words';
import { Icon, type IconName } from './icon';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'plain';

interface ButtonProps extends ComponentProps<'button'> {
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'main' | 'danger' | 'ghost';
}

export function Button({ icon, kind = 'plain', children, className = '', ...button }: ButtonProps) {
  return (
    <button type="button" {...button} className={`a-press ${className}`} data-kind={kind}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="a-card a-column" aria-label={title}>
      <h2 className="a-title">{title}</h2>
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

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: Readonly<Partial<Record<T, string>>>;
  /** Shown beside an option's words. */
  readonly counts?: Readonly<Partial<Record<T, number | undefined>>>;
  readonly onChoose: (value: T) => void;
  readonly disabled?: boolean;
}

/** Buttons side by side, in the order of `options`, one of which is chosen. */
export function Choice<T extends string>(choice: ChoiceProps<T>) {
  const { label, value, options, counts, onChoose, disabled } = choice;
  const { strings } = useTools();
  return (
    <div className="a-wrap" role="group" aria-label={label}>
      {(Object.keys(options) as T[]).map((option) => (
        <Button
          key={option}
          className="a-choice-option"
          aria-pressed={option === value}
          disabled={disabled}
          onClick={() => onChoose(option)}
        >
          {options[option]}
          {counts?.[option] !== undefined && (
            <span className="a-note">{strings.numberText(counts[option])}</span>
          )}
        </Button>
      ))}
    </div>
  );
}

/** Shown while an answer is awaited. */
export function Loading() {
  const { strings } = useTools();
  return (
    <p className="a-loading a-middle a-stack a-quiet" role="status">
      {strings.loading}
    </p>
  );
}

export function Meter({ value, label, tone = 'plain' }: { value: number; label: string; tone?: Tone }) {
  return <progress className="a-meter" data-tone={tone} aria-label={label} value={value} />;
}

export function Empty({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div className="a-empty a-middle a-stack a-quiet">
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  );
}

/** Marked are its value where `isBad`, and what is wrong (`problem`). */
export interface Fact {
  readonly name: string;
  readonly value: string | null;
  readonly isBad?: boolean;
  readonly detail?: string | null | false;
  readonly problem?: string | null | false;
}

/** Names and values, one below the other; those without a value are left out. */
export function Details({ facts, className = '' }: { facts: readonly Fact[]; className?: string }) {
  return (
    <dl className={`a-list ${className}`}>
      {facts.map(
        ({ name, value, isBad = false, detail, problem }) =>
          value && (
            <div key={name}>
              <dt className="a-quiet">{name}</dt>
              <dd className="a-stack a-break">
                <span className={isBad ? 'a-problem' : undefined}>{value}</span>
                {detail && <span className="a-note">{detail}</span>}
                {problem && <span className="a-note a-problem">{problem}</span>}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** An error in words. */
export function Alert({ children }: { children: string }) {
  return (
    <p className="a-problem" role="alert">
      {children}
    </p>
  );
}

/** The program's message, in English. */
export function TechnicalMessage({ children }: { children: string }) {
  return (
    <span className="a-technical a-note a-stack" lang="en">
      {children}
    </span>
  );
}

/** What is wrong and what to do in the overlay's language, and the program's English words for this case below. */
export function ProblemWords({ code, message, advice }: Problem) {
  const { strings } = useTools();
  const words = strings.problems[code];
  return (
    <div lang={words === undefined ? 'en' : undefined}>
      <p className="a-strong">{words?.what ?? message}</p>
      <p>{words?.todo ?? advice}</p>
      {words && message && <TechnicalMessage>{[message, advice].filter(Boolean).join(' ')}</TechnicalMessage>}
    </div>
  );
}

/** What is wrong with an answer, and a button that may help. */
export function RefusalNotice({ children, ...refusal }: Problem & { children: ReactNode }) {
  return (
    <div className="a-card a-line" data-tone="bad" role="alert">
      <Icon name="warning" />
      <div className="a-grow">
        <ProblemWords {...refusal} />
      </div>
      {children}
    </div>
  );
}

/**
 * Shows an answer, a placeholder while it is awaited, or the error with a button to try again. The answer to an earlier
 * question stays until the next one, so that nothing flickers while a search is typed, but not below an error.
 */
export function QueryView<T>({
  answer: { output, fresh, refusal, again },
  children,
}: {
  answer: QueryResult<T>;
  children: (output: T) => ReactNode;
}) {
  const { strings } = useTools();
  const notice = refusal && (
    <RefusalNotice {...refusal}>
      <Button onClick={again}>{strings.retry}</Button>
    </RefusalNotice>
  );
  if (output === null || (notice !== null && !fresh)) return notice ?? <Loading />;
  return (
    <>
      {notice}
      {children(output)}
    </>
  );
}

export function LanguageChoice() {
  const { call, strings } = useTools();
  return (
    <Choice
      label={strings.languageLabel}
      value={strings.language}
      options={LANGUAGE_NAMES}
      onChoose={(language) => void call('setPreferences', { language })}
    />
  );
}
