import { BrandMark } from './parts/brand-mark';
import type { Strings } from './strings';

/** What shoppers see while staff have paused the kiosk. */
export function MaintenanceCard({ strings }: { strings: Strings }) {
  return (
    <div className="a-maintenance" role="status">
      <BrandMark />
      <p className="a-maintenance-title">{strings.maintenanceTitle}</p>
      <p className="a-maintenance-line">{strings.maintenanceLine}</p>
    </div>
  );
}
