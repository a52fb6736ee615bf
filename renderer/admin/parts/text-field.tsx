import type { ComponentProps } from 'react';

/** A field for text; a press opens the on-screen keyboard. */
export function Input(input: ComponentProps<'input'>) {
  return (
    <input
      className="a-input"
      data-typed=""
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      {...input}
    />
  );
}

export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={100}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
