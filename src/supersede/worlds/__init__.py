"""What happens: sampling a history, validity, replay. Knows no English."""
