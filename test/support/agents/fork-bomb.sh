# Starts 50 processes, half of which leave the process group, and ends without waiting for any of them.
for n in $(seq 25); do
  sleep 300 &
  setsid sleep 300 &
done
echo started
