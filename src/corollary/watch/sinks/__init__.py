"""Where a run is written: lines of plain data, one by one."""
