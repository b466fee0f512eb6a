"""The ground that every mechanism stands on. Not edited when one is added."""
