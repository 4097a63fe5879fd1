const SYMPTOM = { severity: "page" };
const HINT = { severity: "warning" };

/**
 * Four alerts. HighLatency and HighErrorRate page for whoever shows the symptom, callers included. MemoryGrowth also
 * fires on healthy services while they warm up: a decoy.
 */
export const alertRules = {
  groups: [
    {
      name: "bed",
      rules: [
        {
          alert: "HighLatency",
          expr: "histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket[5s]))) > 0.25",
          for: "2s",
          labels: SYMPTOM,
          annotations: {
            summary: "95 % of requests to {{ $labels.service }} take up to {{ $value | humanizeDuration }}",
          },
        },
        {
          alert: "HighErrorRate",
          expr: "sum by (service) (rate(http_request_errors_total[5s])) / sum by (service) (rate(http_requests_total[5s])) > 0.05",
          for: "2s",
          labels: SYMPTOM,
          annotations: { summary: "{{ $value | humanizePercentage }} of requests to {{ $labels.service }} fail" },
        },
        {
          alert: "MemoryGrowth",
          expr: "deriv(process_resident_memory_bytes[10s]) > 500e3",
          for: "3s",
          labels: HINT,
          annotations: { summary: "{{ $labels.service }} grows by {{ $value | humanize1024 }}B a second" },
        },
        {
          alert: "PoolSaturation",
          expr: "db_pool_connections_in_use / db_pool_connections_max > 0.9",
          for: "2s",
          labels: HINT,
          annotations: {
            summary: "{{ $labels.service }} has {{ $value | humanizePercentage }} of its connections in use",
          },
        },
      ],
    },
  ],
} as const;
