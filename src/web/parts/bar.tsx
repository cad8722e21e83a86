interface BarProps {
  readonly part: number;
  readonly of: number;
  /** What it says to whoever does not see it. */
  readonly label: string;
  readonly tone?: 'good' | 'warn' | 'bad';
}

/** How much of something is used. */
export function Bar({ part, of, label, tone = 'good' }: BarProps) {
  const percent = of <= 0 ? 0 : Math.min(100, (part / of) * 100);
  return (
    <svg class={`bar ${tone}`} role="img" aria-label={label} viewBox="0 0 100 4" preserveAspectRatio="none">
      <rect class="track" width="100" height="4" />
      <rect class="fill" width={Math.max(part > 0 ? 0.5 : 0, percent)} height="4" />
    </svg>
  );
}
